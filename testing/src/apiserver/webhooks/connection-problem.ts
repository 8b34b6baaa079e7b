/** The message of Go's HTTP client for a connection error. */
export function connectionProblem(error: unknown, target: URL, name: string): string {
  const { code = '', message, cert } = error as NodeError;
  const address = `${target.hostname}:${target.port || (target.protocol === 'https:' ? 443 : 80)}`;
  switch (code) {
    case 'ECONNREFUSED':
      return `dial tcp ${address}: connect: connection refused`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `dial tcp: lookup ${target.hostname}: no such host`;
    case 'ECONNRESET':
      return message === 'socket hang up'
        ? 'EOF'
        : `read tcp ${address}: read: connection reset by peer`;
    case 'EPROTO':
    case 'ERR_SSL_WRONG_VERSION_NUMBER':
      return 'http: server gave HTTP response to HTTPS client';
    case 'CERT_HAS_EXPIRED':
    case 'CERT_NOT_YET_VALID':
      return `${BAD_CERTIFICATE}certificate has expired or is not yet valid`;
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return `${BAD_CERTIFICATE}${wrongName(cert?.subjectaltname ?? '', name)}`;
    default:
      return UNKNOWN_AUTHORITY.has(code)
        ? `${BAD_CERTIFICATE}certificate signed by unknown authority`
        : message;
  }
}

interface NodeError extends Error {
  readonly code?: string;
  readonly cert?: { readonly subjectaltname?: string };
}

const BAD_CERTIFICATE = 'tls: failed to verify certificate: x509: ';

const UNKNOWN_AUTHORITY: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** @param names - names such as `DNS:a.example, IP Address:127.0.0.1`. */
function wrongName(names: string, wanted: string): string {
  const valid = names.split(', ').filter((one) => one !== '');
  if (/^[\d.]+$|:/.test(wanted)) {
    const addresses = valid.filter((one) => one.startsWith('IP Address:'));
    if (addresses.length === 0) {
      return `cannot validate certificate for ${wanted} because it doesn't contain any IP SANs`;
    }
    return `certificate is valid for ${bare(addresses)}, not ${wanted}`;
  }
  const hosts = valid.filter((one) => one.startsWith('DNS:'));
  if (hosts.length === 0) {
    return `certificate is not valid for any names, but wanted to match ${wanted}`;
  }
  return `certificate is valid for ${bare(hosts)}, not ${wanted}`;
}

function bare(names: readonly string[]): string {
  return names.map((one) => one.slice(one.indexOf(':') + 1)).join(', ');
}
