export { createMemory, type Memory } from './create-memory.ts';
export { createMemoryDatabase, type MemoryDatabase } from './database/memory-database.ts';
export { createManualClock, type ManualClock } from './manual-clock.ts';
