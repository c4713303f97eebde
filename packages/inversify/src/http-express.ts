import {
  type ApiKeyAuthenticationOptions,
  type ApiOptions,
  type Authenticate,
  apiKeyAuthentication,
  createApi,
} from '@pinfold/http-express';
import { ContainerModule, type ServiceIdentifier } from 'inversify';
import { tokens } from './tokens.ts';

/** The API as an Express router. */
export const api: ServiceIdentifier<ReturnType<typeof createApi>> = Symbol.for('@pinfold/api');

/** Identifies callers by API keys, unless it is bound again. */
export const authenticate: ServiceIdentifier<Authenticate> = Symbol.for('@pinfold/authenticate');

/** {@link ApiOptions} without what the container knows, and what authentication by API keys takes. */
export type HttpExpressModuleOptions = Omit<
  ApiOptions,
  'useCases' | 'history' | 'views' | 'administration' | 'authenticate'
> &
  ApiKeyAuthenticationOptions & {
    /** Whether `/admin/v1` is offered to callers of the scope `admin`. Absent: it is not. */
    readonly administration?: boolean;
  };

/** Binds {@link api} and {@link authenticate}. Options known late, such as a free port's, are given as a function. */
export function httpExpressModule(
  options: HttpExpressModuleOptions | (() => HttpExpressModuleOptions),
): ContainerModule {
  const given = typeof options === 'function' ? options : () => options;
  return new ContainerModule(({ bind }) => {
    bind(authenticate)
      .toResolvedValue((manageKeys) => apiKeyAuthentication(manageKeys, given()), [tokens.manageKeys])
      .inSingletonScope();
    bind(api)
      .toResolvedValue(
        (useCases, history, views, administers, authenticates) => {
          const { administration: isOffered = false, ...options } = given();
          const administration = isOffered ? { administration: administers } : {};
          const parts = { useCases, history, views, ...administration, authenticate: authenticates };
          return createApi({ ...options, ...parts });
        },
        [tokens.useCases, tokens.manageHistory, tokens.countedViews, tokens.administration, authenticate],
      )
      .inSingletonScope();
  });
}
