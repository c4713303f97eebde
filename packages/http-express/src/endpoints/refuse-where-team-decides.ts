import { englishOf, REFUSAL_TEXTS } from '@pinfold/http/internal/texts';
import { type AnyRefusal, refuseRequest } from '../problems/problem.ts';

/** Where the embedding team decides who may look, an API key opens no site. */
export function refuseWhereTeamDecides(): AnyRefusal {
  return refuseRequest('forbidden', {
    title: 'This service decides itself who may look',
    detail: englishOf(REFUSAL_TEXTS.forbidden_viewing),
    advice: 'Open the shared URL and sign in there',
  });
}
