export { createMemory, type Memory } from './create-memory.ts';
export { createManualClock, type ManualClock } from './manual-clock.ts';
