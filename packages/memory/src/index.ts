export { createMemory, type Memory } from './create-memory.ts';
