export { observer, type Parts, type Tokens, tokens } from './tokens.ts';
