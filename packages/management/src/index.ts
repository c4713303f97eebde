export type { RequestEntry, RequestLog } from '@pinfold/http';
export { createManagement } from './create-management.ts';
export type { Authenticate, ManagementOptions } from './options.ts';
