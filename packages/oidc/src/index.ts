export { type ClaimRule, parseClaimRule } from './claim-rule.ts';
export { issuerUrl, type OpenIdConnectOptions, openIdConnect } from './open-id-connect.ts';
