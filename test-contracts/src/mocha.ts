export { describeArchiveStorage, type MochaArchiveStorageOptions } from './describe-archive-storage.ts';
export { describeContract, type MochaContractOptions } from './describe-contract.ts';
export { describeStores, type MochaStoresOptions } from './describe-stores.ts';
export type { Stores } from './stores.ts';
