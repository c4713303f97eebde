export { type Sentences, sentenceOf } from './sentences.ts';
export { hasSeveralHosts } from './several-hosts.ts';
export { takeRequest } from './take-request.ts';
export { hasTooManyCookies } from './too-many-cookies.ts';
export { Uploads, type UploadsOptions } from './uploads.ts';
