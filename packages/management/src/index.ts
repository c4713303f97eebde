export type { RequestEntry, RequestLog } from '@pinfold/http';
export { createManagement } from './create-management.ts';
export type { Language } from './language.ts';
export type { LookOptions, OwnLink } from './look.ts';
export type { MessageId } from './messages/catalogues.ts';
export type { Authenticate, ManagementOptions } from './options.ts';
export type { Message } from './words.ts';
