export { createSharing, type SharingOptions, type SharingPorts } from './use-cases/create-use-cases.ts';
