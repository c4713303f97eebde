export { type Persistence, type Tokens, tokens } from './tokens.ts';
