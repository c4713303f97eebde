export { describeArchiveStorage, type MochaArchiveStorageOptions } from './describe-archive-storage.ts';
export { describeContract, type MochaContractOptions } from './describe-contract.ts';
export { describeStores, type MochaStoresOptions, type Stores } from './describe-stores.ts';
