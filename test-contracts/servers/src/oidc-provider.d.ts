/** The used parts; the package has no types. */
declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http';

  // biome-ignore lint/style/noDefaultExport: the package has no other export of it
  export default class Provider {
    constructor(issuer: string, configuration: Readonly<Record<string, unknown>>);
    callback(): RequestListener;
  }
}
