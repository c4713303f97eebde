export type { RequestEntry, RequestLog } from '@pinfold/http';
export type { Language } from '@pinfold/http/internal';
export type { BrandingOptions, OwnLink } from './branding.ts';
export { createManagement } from './create-management.ts';
export type { Message } from './i18n.ts';
export type { MessageId } from './messages/catalogues.ts';
export type { Authenticate, ManagementOptions, NodeHealth } from './options.ts';
