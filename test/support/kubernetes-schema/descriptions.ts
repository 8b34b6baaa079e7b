/**
 * Writes `testing/src/apiserver/built-in-types/descriptions.json`: what built-in types and their fields mean.
 *
 *     node test/support/kubernetes-schema/descriptions.ts SWAGGER > testing/src/apiserver/built-in-types/descriptions.json
 *
 * SWAGGER is the document of OpenAPI v2: `api/openapi-spec/swagger.json` of the Kubernetes repository, or the answer of a
 * kube-apiserver to `/openapi/v2`, for the version of `kubernetes.json`. Types that that file does not have are left out.
 */
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { builtInType } from '../../../testing/src/apiserver/built-in-types/built-in-types.ts';

interface Definition {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, { readonly description?: string }>>;
}

/** Types with a form of their own, which `kubernetes.json` has by name only. */
const OWN_FORM =
  /\.(?:Time|MicroTime|Duration|FieldsV1|RawExtension|Quantity|IntOrString|JSON\w*)$/;

const [, , file = ''] = process.argv;
const { definitions } = JSON.parse(readFileSync(file, 'utf8')) as {
  readonly definitions: Readonly<Record<string, Definition>>;
};

const lines = Object.entries(definitions)
  .filter(([name]) => builtInType(name) !== undefined || OWN_FORM.test(name))
  .toSorted(([a], [b]) => (a < b ? -1 : 1))
  .map(([name, { description, properties = {} }]) => {
    const fields = Object.entries(properties).map(([field, one]) => [field, one.description]);
    return `${JSON.stringify(name)}: ${JSON.stringify(Object.fromEntries([['', description], ...fields]))}`;
  });
process.stdout.write(`{\n${lines.join(',\n')}\n}\n`);
