export { type Tokens, tokens } from './tokens.ts';
