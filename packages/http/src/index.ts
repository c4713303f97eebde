export { hasSeveralHosts } from './several-hosts.ts';
export { Uploads, type UploadsOptions } from './uploads.ts';
