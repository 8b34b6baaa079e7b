import type { StructuralSchema } from 'chancery/internal';
import { described, fields, TEXT, textOr } from './schema-parts.ts';

/** A reference to a Secret or a ConfigMap. Its key is in another field. */
const REFERENCE: StructuralSchema = fields({ name: TEXT, namespace: TEXT }, ['name', 'namespace']);

/** A reference to one key. */
function keyReference(key: StructuralSchema, required: readonly string[]): StructuralSchema {
  return fields({ ...REFERENCE.properties, key }, [...required, ...(REFERENCE.required ?? [])]);
}

const CA_REFERENCE = keyReference(textOr('ca.crt'), []);

/**
 * The fields that secure the connection to a webhook. Hooks and endpoints have the same four
 * fields.
 */
export const CONNECTION: Readonly<Record<string, StructuralSchema>> = {
  caBundle: described(
    fields({ inline: TEXT, secretRef: CA_REFERENCE, configMapRef: CA_REFERENCE }),
    'Certificates that may have signed that of the webhook, as PEM. Exactly one of the fields.',
  ),
  clientTLS: described(
    fields({ secretRef: REFERENCE, certKey: textOr('tls.crt'), privateKeyKey: textOr('tls.key') }, [
      'secretRef',
    ]),
    'The certificate that the webhook is shown.',
  ),
  authorization: described(
    fields({ type: textOr('Bearer'), secretRef: keyReference(TEXT, ['key']) }, ['secretRef']),
    'A token that is sent to the webhook. Not together with basicAuth.',
  ),
  basicAuth: described(
    fields(
      { secretRef: REFERENCE, usernameKey: textOr('username'), passwordKey: textOr('password') },
      ['secretRef'],
    ),
    'A user name and a password that are sent to the webhook. Not together with authorization.',
  ),
};
