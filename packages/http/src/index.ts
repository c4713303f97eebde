export { hasSeveralHosts } from './several-hosts.ts';
export { hasTooManyCookies } from './too-many-cookies.ts';
