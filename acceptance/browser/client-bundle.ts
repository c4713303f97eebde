export { PinfoldClient } from '@pinfold/client';
export { packFiles } from '@pinfold/client/zip';
