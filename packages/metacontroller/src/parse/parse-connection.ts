import { isDnsLabel, isDnsSubdomain } from 'chancery/internal';
import type { ConnectionFields, ObjectReference } from '../definitions/controller-object.ts';
import type { ConnectionSpec, KeyReference } from '../spec.ts';
import { refuse, shown } from './invalid-spec.ts';

/** The fields of a connection. A hook that has any of them ignores `endpointConfigs`. */
const FIELDS = ['caBundle', 'clientTLS', 'authorization', 'basicAuth'] as const;

export function hasConnection(fields: ConnectionFields): boolean {
  return FIELDS.some((field) => fields[field] !== undefined);
}

/**
 * The settings of a connection. Empty keys count as missing.
 *
 * @param path - the path of the object that contains the settings.
 * @throws InvalidSpecError.
 */
export function parseConnection(fields: ConnectionFields, path: string): ConnectionSpec {
  const { clientTLS, authorization, basicAuth } = fields;
  if (authorization !== undefined && basicAuth !== undefined) {
    refuse(path, 'authorization and basicAuth exclude each other: leave one out');
  }
  const caBundle = parseCaBundle(fields.caBundle, `${path}.caBundle`);
  return {
    ...(caBundle !== undefined && { caBundle }),
    ...(clientTLS !== undefined && {
      clientTls: {
        certificate: secretKey(
          clientTLS.secretRef,
          clientTLS.certKey,
          'tls.crt',
          `${path}.clientTLS`,
        ),
        privateKey: secretKey(
          clientTLS.secretRef,
          clientTLS.privateKeyKey,
          'tls.key',
          `${path}.clientTLS`,
        ),
      },
    }),
    ...(authorization !== undefined && {
      authorization: parseAuthorization(authorization, `${path}.authorization`),
    }),
    ...(basicAuth !== undefined && {
      basicAuth: {
        username: secretKey(
          basicAuth.secretRef,
          basicAuth.usernameKey,
          'username',
          `${path}.basicAuth`,
        ),
        password: secretKey(
          basicAuth.secretRef,
          basicAuth.passwordKey,
          'password',
          `${path}.basicAuth`,
        ),
      },
    }),
  };
}

function parseCaBundle(
  bundle: ConnectionFields['caBundle'],
  path: string,
): ConnectionSpec['caBundle'] {
  if (bundle === undefined) return undefined;
  const { inline, secretRef, configMapRef } = bundle;
  const given = [inline, secretRef, configMapRef].filter((one) => one !== undefined).length;
  if (given !== 1) {
    const found = given === 0 ? 'none' : `${given} of them`;
    refuse(path, `expected exactly one of inline, secretRef and configMapRef, got ${found}`);
  }
  if (inline !== undefined) return inline === '' ? undefined : { inline };
  if (secretRef !== undefined)
    return keyOf('Secret', secretRef, secretRef.key || CA_KEY, `${path}.secretRef`);
  if (configMapRef === undefined) return undefined;
  return keyOf('ConfigMap', configMapRef, configMapRef.key || CA_KEY, `${path}.configMapRef`);
}

/** The default key of a bundle of certificates. */
const CA_KEY = 'ca.crt';

/** Matches a scheme of HTTP authentication. */
const SCHEME = /^[-!#$%&'*+.^_`|~0-9A-Za-z]+$/;

function parseAuthorization(
  { type, secretRef }: NonNullable<ConnectionFields['authorization']>,
  path: string,
): NonNullable<ConnectionSpec['authorization']> {
  const scheme = type.trim() || 'Bearer';
  if (scheme.toLowerCase() === 'basic') {
    refuse(`${path}.type`, 'Basic is not possible here: use the field basicAuth');
  }
  if (!SCHEME.test(scheme))
    refuse(`${path}.type`, `expected a word such as Bearer, got ${shown(type)}`);
  if (secretRef.key === '') refuse(`${path}.secretRef.key`, 'expected a key of the Secret');
  return { scheme, credentials: secretKey(secretRef, secretRef.key, '', path) };
}

/** @param path - the path of the object with the `secretRef`. */
function secretKey(
  reference: ObjectReference,
  key: string,
  fallback: string,
  path: string,
): KeyReference {
  return keyOf('Secret', reference, key || fallback, `${path}.secretRef`);
}

/**
 * A reference to a key. Its names are checked, because roles and field selectors contain them.
 *
 * @throws InvalidSpecError when the name or the namespace is invalid.
 */
function keyOf(
  kind: KeyReference['kind'],
  { namespace, name }: ObjectReference,
  key: string,
  path: string,
): KeyReference {
  if (!isDnsSubdomain(name))
    refuse(`${path}.name`, `expected a name of a ${kind}, got ${shown(name)}`);
  if (!isDnsLabel(namespace)) {
    refuse(`${path}.namespace`, `expected a name of a namespace, got ${shown(namespace)}`);
  }
  return { kind, namespace, name, key };
}
