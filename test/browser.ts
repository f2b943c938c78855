export { violationsIn } from '../sandbox/common/axe.ts';
export { connectBrowser } from '../sandbox/common/connect-browser.ts';
