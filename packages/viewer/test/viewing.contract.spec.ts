import { apiKeyAuthentication, createApi } from '@pinfold/http-express';
import { httpViewingContract } from '@pinfold/test-contracts';
import { describeContract } from '@pinfold/test-contracts/mocha';
import express from 'express';
import { type Doors, openHttpSubject } from 'pinfold-test-servers/service';
import { createViewer, type ViewerMode } from '../src/index.ts';

/** API and viewer on one port. */
function doorsIn(mode: ViewerMode): Doors {
  return ({ useCases, keys, publicPort }) => {
    const publicUrl = `http://127.0.0.1:${publicPort}`;
    const sitesUrl = `http://localhost:${publicPort}`;
    const authenticate = apiKeyAuthentication(keys);
    const viewer = createViewer({ useCases, publicUrl, sitesUrl, mode });
    const { createGrant, openArchive } = viewer;
    // Requests that no door handles get the viewer's 404 page, as in the reference server.
    return express()
      .use(viewer)
      .use(createApi({ useCases, createGrant, openArchive, publicUrl, authenticate }))
      .use((request, response) => viewer(request, response));
  };
}

for (const mode of ['origin', 'path'] as const) {
  describeContract(httpViewingContract, {
    name: `createViewer in ${mode} mode`,
    create: () => openHttpSubject(mode, doorsIn(mode)),
  });
}
