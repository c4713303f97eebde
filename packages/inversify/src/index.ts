export { type HttpHandler, type Persistence, type Tokens, tokens } from './tokens.ts';
