export { hasSeveralHosts } from './several-hosts.ts';
