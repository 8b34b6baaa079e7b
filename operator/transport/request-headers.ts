import { ConfigurationError } from '../core/errors.ts';

/**
 * Headers that no caller may set. The first row would act with other rights than the ambassador's,
 * which forwards all of them to the API server; the second would forge the audit log; the third is
 * the transport's own.
 */
const REFUSED =
  /^(?:authorization|proxy-.*|cookie|impersonate-.*|x-remote-.*|x-forwarded-.*|forwarded|x-real-ip|host|connection|keep-alive|upgrade|te|trailer|expect|transfer-encoding|content-length|accept-encoding|user-agent)$/i;

/** A header's name, by RFC 9110; a blank after it would hide it from the pattern above. */
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** What the transport adds to every request. */
interface FixedHeaders {
  readonly userAgent: string;
  /** Undefined for the one that follows from the origin. */
  readonly host: string | undefined;
}

/**
 * The headers of one request.
 *
 * `accept-encoding: identity` keeps the answer as it is: a compressor between us and the API server
 * would hold watch events back until its buffer is full, and on a loopback it saves nothing.
 *
 * @throws ConfigurationError `CONFIG` for a header that is not the caller's to set.
 */
export function requestHeaders(
  headers: Readonly<Record<string, string>>,
  { userAgent, host }: FixedHeaders,
): Record<string, string> {
  for (const name of Object.keys(headers)) {
    if (REFUSED.test(name) || !NAME.test(name)) {
      throw new ConfigurationError('a request header is not the caller’s to set', {
        context: { header: name },
      });
    }
  }
  return {
    ...headers,
    ...(host === undefined ? {} : { host }),
    'user-agent': userAgent,
    'accept-encoding': 'identity',
  };
}
