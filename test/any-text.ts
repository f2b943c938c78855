export { anyText } from '../sandbox/common/any-text.fixture.ts';
