import { ConfigurationError } from '../core/errors.ts';

/** The ambassador's address. */
interface AmbassadorAddress {
  /** `http://host:port`. */
  readonly origin: string;
  /** The path of a unix socket; undefined for TCP. */
  readonly socketPath: string | undefined;
  /** The Host header to send. If undefined, the HTTP library derives it from `origin`. */
  readonly host: string | undefined;
}

const EXPECTED = 'http://HOST:PORT or unix:/PATH';

/**
 * Parses `CHANCERY_API_URL`: `http://127.0.0.1:8001` or `unix:/path.sock`.
 *
 * URLs with TLS, credentials or a path are refused, because the ambassador handles all of these.
 *
 * @throws ConfigurationError `CONFIG` for any other URL. The message says what was expected and what was
 *   found.
 */
export function parseApiUrl(apiUrl: string): AmbassadorAddress {
  if (apiUrl.startsWith('unix:')) return unixAddress(apiUrl);
  if (!URL.canParse(apiUrl)) throw unusable('not a URL', apiUrl);
  const url = new URL(apiUrl);
  if (url.username !== '' || url.password !== '') {
    // The context omits the URL, because it contains a password.
    throw unusable('credentials do not belong into the URL', `${url.protocol}//***@${url.host}`);
  }
  if (url.protocol !== 'http:') throw unusable(`scheme ${url.protocol} is not http:`, apiUrl);
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '') {
    throw unusable('a path or query is not part of an origin', apiUrl);
  }
  // kubectl proxy removes the port from the Host header before it checks the header. From `[::1]:8001` it
  // also removes the brackets, and so it refuses this header.
  const host = url.hostname === '[::1]' ? 'localhost' : undefined;
  return { origin: url.origin, socketPath: undefined, host };
}

function unixAddress(apiUrl: string): AmbassadorAddress {
  const socketPath = apiUrl.slice('unix:'.length).replace(/^\/\/(?=\/)/, '');
  if (!socketPath.startsWith('/') || socketPath.endsWith('/') || socketPath.startsWith('//')) {
    throw unusable('a unix socket needs an absolute path', apiUrl);
  }
  return { origin: 'http://localhost', socketPath, host: undefined };
}

function unusable(problem: string, got: string): ConfigurationError {
  return new ConfigurationError(`unusable API URL: ${problem}`, {
    context: { expected: EXPECTED, got },
  });
}
