export { cases } from '../sandbox/common/cases.ts';
