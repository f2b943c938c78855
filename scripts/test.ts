import { runChecks } from './check/run-checks.ts';
import { ensureBrowser } from './test/browser.ts';
import { askForFewerSwitches } from './test/fewer-switches.ts';
import { runVitest } from './test/run-vitest.ts';

const total = { passed: 0, failed: 0 };
const add = ({ passed, failed }: typeof total) => {
  total.passed += passed;
  total.failed += failed;
};

// Whatever happens on the way, the last line says how it went.
process.on('exit', () => {
  if (total.failed > 0) process.exitCode = 1;
  console.log(`${total.passed} passed, ${total.failed} failed`);
});

try {
  askForFewerSwitches();
  // What these find is told after the tests, which take longer.
  const told: string[] = [];
  const checking = runChecks((line) => told.push(line));
  const browser = await ensureBrowser();
  if (browser.path === undefined) {
    console.log(`failed  browser\n${browser.remedy}\n`);
    add({ passed: 0, failed: 1 });
  }
  add(await runVitest(process.argv.slice(2), browser.path));
  add(await checking);
  for (const line of told) console.log(line);
} catch (error) {
  console.error(error);
  add({ passed: 0, failed: 1 });
}
