export { type ClaimRule, parseClaimRule } from './claims.ts';
export { issuerUrl, type OpenIdConnectOptions, openIdConnect } from './open-id-connect.ts';
