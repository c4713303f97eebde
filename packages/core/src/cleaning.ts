export { type CleaningOptions, type CleanUpPorts, createCleaning } from './use-cases/cleaning.ts';
