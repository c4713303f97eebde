export { createSharing, type SharingOptions, type SharingPorts } from './use-cases/sharing.ts';
