export { connectBrowser } from '../sandbox/common/connect-browser.ts';
