export { createPersistence, createStores, STORE_SCHEMA } from './stores/create-stores.ts';
