export { createManagement } from './create-management.ts';
export type { Authenticate, ManagementLogEntry, ManagementOptions } from './options.ts';
