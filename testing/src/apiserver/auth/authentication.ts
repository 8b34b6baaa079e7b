import type { ApiError } from 'chancery';
import { failure } from '../failures/failure.ts';
import { ISSUER, type ServiceAccountTokens, type TokenHolder } from './service-account-tokens.ts';
import { ADMINISTRATOR, type Caller, callerOf, type User } from './user.ts';

/** How the server finds the sender of a request. */
export interface AuthenticationOptions {
  /**
   * Bearer tokens and their users, as in kube-apiserver's `--token-auth-file`. If omitted, only the
   * tokens that the server issues to ServiceAccounts are accepted (`kubectl create token`).
   */
  readonly tokens?: Readonly<Record<string, string | User>>;
  /**
   * The user of requests without credentials; a string is the name of a user. Default: `kubernetes-admin`, a
   * user with all rights in the group `system:masters`. With `false`, such requests are refused with 401.
   * kube-apiserver uses `system:anonymous`, or refuses them.
   */
  readonly anonymous?: string | User | false;
}

/** Finds the sender of a request. */
export class Authentication {
  readonly #tokens: ReadonlyMap<string, Caller>;
  /** The tokens that this server has issued. */
  readonly issued: ServiceAccountTokens;
  readonly #anonymous: Caller | undefined;

  constructor(options: AuthenticationOptions, issued: ServiceAccountTokens) {
    const tokens = Object.entries(options.tokens ?? {});
    this.#tokens = new Map(tokens.map(([token, user]) => [token, callerOf(user)]));
    const { anonymous = ADMINISTRATOR } = options;
    this.#anonymous = anonymous === false ? undefined : callerOf(anonymous);
    this.issued = issued;
  }

  /**
   * @param header - the `Authorization` header. Only a bearer token counts as a credential.
   * @param withoutToken - the sender of requests without a token. If undefined, the sender is the user in the
   * options.
   * @throws ApiError 401 for an unknown token, and for a request without a token if anonymous requests are
   * refused.
   */
  callerOf(header: string | undefined, withoutToken: Caller | undefined): Caller {
    const token = /^bearer +(\S+)\s*$/i.exec(header ?? '')?.[1];
    const caller =
      token === undefined ? (withoutToken ?? this.#anonymous) : this.holderOf(token)?.caller;
    if (caller === undefined) throw unauthorized();
    return caller;
  }

  /**
   * @param audiences - the accepted audiences: the token must be meant for one of them. Default:
   * this server.
   * @returns undefined for an unknown token.
   */
  holderOf(token: string, audiences: readonly string[] = [ISSUER]): TokenHolder | undefined {
    const caller = this.#tokens.get(token);
    if (caller !== undefined) return { caller, audiences };
    const holder = this.issued.holderOf(token);
    const meant = holder?.audiences.filter((audience) => audiences.includes(audience)) ?? [];
    return holder === undefined || meant.length === 0 ? undefined : { ...holder, audiences: meant };
  }
}

function unauthorized(): ApiError {
  return failure({ code: 401, reason: 'Unauthorized', message: 'Unauthorized' });
}
