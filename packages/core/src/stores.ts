export { createPersistence, STORE_SCHEMA } from './stores/create-persistence.ts';
