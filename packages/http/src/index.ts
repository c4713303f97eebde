export { hasSeveralHosts } from './several-hosts.ts';
export { takeRequest } from './take-request.ts';
