/** Patch files as text: what is read, what is refused, and with which words. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeExact } from '../../../operator/client/rest-client.ts';
import { propertyRuns } from '../../../test/support/property-runs.ts';
import { checkPatchFile } from '../src/patches/check-document.ts';
import { fieldManagerOf } from '../src/patches/field-manager.ts';
import type { PatchDocument } from '../src/patches/patch-document.ts';
import { readDocuments } from '../src/results/read-documents.ts';
import { joinedRules, missingRights, requiredRights } from '../src/rights/required-rights.ts';
import { PATCH_OPERATIONS } from '../src/rights/verbs-of-operation.ts';
import { READ_PARTS } from './support/documents.ts';
import { configMap, named } from './support/patching.ts';

/** The documents of a file, and what was said about them. */
async function check(text: string): Promise<{
  readonly documents: readonly PatchDocument[];
  readonly warnings: readonly string[];
}> {
  const warnings: string[] = [];
  const documents = await checkPatchFile(text, (problem) => warnings.push(problem), READ_PARTS);
  return { documents, warnings };
}

const json = JSON.stringify;

test.each([
  ['JSON values on lines', '{"a": 1}\n{"a": 2}\n'],
  ['JSON values without anything between them', '{"a": 1}{"a": 2}'],
  ['JSON values over several lines', '{\n  "a": 1\n}\n\n{\n  "a": 2\n}'],
  ['JSON values between YAML markers', '{"a": 1}\n---\n{"a": 2}\n'],
  ['YAML documents', '---\na: 1\n---\n# nothing but this\n---\na: 2\n'],
  ['YAML documents with ends', 'a: 1\n...\n---\na: 2\n...\n'],
  ['YAML documents that begin on the line of their marker', '--- {a: 1}\n--- {a: 2}'],
])('a patch file can have %s', async (_what, text) => {
  expect(await readDocuments(text, READ_PARTS)).toEqual([{ a: 1 }, { a: 2 }]);
});

test('a patch file may be empty', async () => {
  expect(await readDocuments(' \n', READ_PARTS)).toEqual([]);
  expect(await readDocuments('---\n', READ_PARTS)).toEqual([]);
});

test('a document marker inside a string does not separate documents', async () => {
  expect(await readDocuments('a: |\n  one\n  ---\n  two\n', READ_PARTS)).toEqual([
    { a: 'one\n---\ntwo\n' },
  ]);
  expect(await readDocuments('{"a": "\\"}{"}{"b": "\\\\"}', READ_PARTS)).toEqual([
    { a: '"}{' },
    { b: '\\' },
  ]);
});

test('large integers stay exact, in JSON and in YAML', async () => {
  expect(await readDocuments('{"a": 9007199254740993}', READ_PARTS)).toEqual([
    { a: 9007199254740993n },
  ]);
  expect(await readDocuments('a: 9007199254740993', READ_PARTS)).toEqual([
    { a: 9007199254740993n },
  ]);
});

test('a number that would lose digits is refused', async () => {
  const text =
    '{"operation": "MergePatch", "kind": "Pod", "name": "a", "mergePatch": {"a": 9007199254740993.0}}';

  await expect(check(text)).rejects.toThrow('document 1: a number cannot be written without loss');
});

test('a stream of JSON documents is parsed unchanged', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }))),
      fc.constantFrom('', ' ', '\n', '\r\n\t'),
      async (values, between) => {
        const plain = json(values);
        const text = values.map((value) => json(value)).join(between);
        expect(encodeExact(await readDocuments(text, READ_PARTS))).toBe(plain);
      },
    ),
    propertyRuns(),
  );
});

test('the error about a refused patch file quotes nothing from the file', async () => {
  const texts = ['{"password": "apple-pie" nothing}', 'password: [apple-pie\n', '{"a": "apple-pie'];
  for (const text of texts) {
    const error = await readDocuments(text, READ_PARTS).catch((thrown: unknown) => thrown as Error);
    expect(error).toHaveProperty('message', expect.stringMatching(/^document 1: /));
    expect(error).not.toHaveProperty('message', expect.stringContaining('apple'));
  }
});

test('a YAML document that would block the process for seconds is refused', async () => {
  const text = `a: ${'b'.repeat(3_000_000)}`;

  await expect(readDocuments(text, READ_PARTS)).rejects.toThrow(
    'document 1: has 3000003 characters',
  );
});

test('a body may be an object, JSON text or YAML text', async () => {
  const bodies = [{ data: { a: 'b' } }, '{"data": {"a": "b"}}', 'data:\n  a: b\n'];
  const text = bodies.map((mergePatch) =>
    json({ operation: 'MergePatch', ...named('a'), mergePatch }),
  );

  const { documents } = await check(text.join('\n'));

  const action = { mergePatch: { data: { a: 'b' } } };
  expect(documents).toMatchObject([{ action }, { action }, { action }]);
});

const item = { op: 'add', path: '/a', value: 1 };

test.each([
  ['a value', '5', 'it must be an object, not a number'],
  ['a list', '[]', 'it must be an object, not a list'],
  ['no operation', json(named('a')), 'operation is missing'],
  ['an unknown operation', json({ operation: 'Patch' }), 'operation "Patch" is not known: use one'],
  [
    'a misspelt operation',
    json({ operation: 'jsonpatch' }),
    'operation "jsonpatch" is not known: write JSONPatch',
  ],
  ['no kind', json({ operation: 'Delete', name: 'a' }), 'kind is missing'],
  ['no name', json({ operation: 'Delete', kind: 'Pod' }), 'name is missing'],
  [
    'a name that is a number',
    json({ operation: 'Delete', kind: 'Pod', name: 7 }),
    'name must be a string, not a number',
  ],
  ['no object', json({ operation: 'Create' }), 'object is missing'],
  [
    'an object without a kind',
    json({ operation: 'Create', object: { apiVersion: 'v1' } }),
    'object.kind is missing',
  ],
  [
    'an object without a name',
    json({ operation: 'Create', object: { ...configMap(''), metadata: {} } }),
    'object.metadata.name is missing',
  ],
  [
    'a generateName without a name',
    json({
      operation: 'CreateOrUpdate',
      object: { ...configMap(''), metadata: { generateName: 'a-' } },
    }),
    'object.metadata.name is missing',
  ],
  [
    'an object that is an invalid string',
    json({ operation: 'Create', object: '{' }),
    'the text of object is neither JSON nor YAML',
  ],
  ['no body', json({ operation: 'MergePatch', ...named('a') }), 'mergePatch is missing'],
  [
    'a merge patch that is a list',
    json({ operation: 'MergePatch', ...named('a'), mergePatch: [] }),
    'mergePatch must be an object, not a list',
  ],
  ['no program', json({ operation: 'JQPatch', ...named('a') }), 'jqFilter is missing'],
  [
    'a status that is text',
    json({ operation: 'Status', ...named('a'), status: 'ready' }),
    'status must be an object, not a string',
  ],
  [
    'a flag that is text',
    json({ operation: 'Delete', ...named('a'), ignoreMissingObject: 'yes' }),
    'ignoreMissingObject must be true or false',
  ],
  [
    'a subresource with a path',
    json({ operation: 'MergePatch', ...named('a'), mergePatch: {}, subresource: '../b' }),
    'subresource must be a name',
  ],
  [
    'a JSON patch that is an object',
    json({ operation: 'JSONPatch', ...named('a'), jsonPatch: {} }),
    'jsonPatch must be a list',
  ],
])('a document with %s is refused', async (_what, text, why) => {
  await expect(check(text)).rejects.toThrow(`document 1: ${why}`);
});

test.each([
  [
    'an unknown op',
    { ...item, op: 'put' },
    '.op must be one of add, replace, test, remove, move, copy',
  ],
  ['no path', { op: 'remove' }, '.path must be a JSON pointer'],
  ['a path without its slash', { ...item, path: 'a/b' }, '.path must be a JSON pointer'],
  ['a path with a lone tilde', { ...item, path: '/a~2' }, '.path must be a JSON pointer'],
  ['no value', { op: 'test', path: '/a' }, '.value is missing: test needs it'],
  ['no origin', { op: 'move', path: '/a' }, '.from is missing: move needs it'],
  ['a wrong origin', { op: 'copy', path: '/a', from: 'b' }, '.from must be a JSON pointer'],
  ['text', 'remove', ' must be an object'],
])('[hooks 12] a JSON patch whose second item has %s is refused', async (_what, wrong, why) => {
  const text = json({ operation: 'JSONPatch', ...named('a'), jsonPatch: [item, wrong] });

  await expect(check(text)).rejects.toThrow(`document 1: jsonPatch[1]${why}`);
});

test.each([
  [{ op: 'remove', path: '/a' }],
  [{ op: 'add', path: '', value: null }],
  [{ op: 'test', path: '/a~0b~1c/0', value: false }],
  [{ op: 'move', from: '/a', path: '/b/-' }],
])('[hooks 12] a JSON patch may begin with %j', async (first) => {
  const text = json({ operation: 'JSONPatch', ...named('a'), jsonPatch: json([first]) });

  const { documents } = await check(text);

  expect(documents[0]?.action).toMatchObject({ jsonPatch: [first] });
});

test('[hooks S14] a message reports the fields that the operation does not use', async () => {
  const { warnings } = await check(
    [
      { operation: 'Create', object: configMap('a'), subresource: 'status' },
      { operation: 'Delete', ...named('a'), subresource: '/status', jqFilter: '.' },
      { operation: 'Status', ...named('a'), status: {}, subresource: '/status' },
      { operation: 'Apply', object: configMap('a'), forse: true },
    ]
      .map((document) => json(document))
      .join('\n'),
  );

  expect(warnings).toEqual([
    'document 1: subresource has no effect on Create',
    'document 2: Delete has no field "jqFilter"',
    'document 2: subresource has no effect on Delete',
    'document 4: Apply has no field "forse"',
  ]);
});

test('a recorded rule is merged into a rule for the same resource, unless that rule is limited to namespaces', () => {
  const rule = { apiGroups: [''], resources: ['pods'], verbs: ['get'] } as const;
  const limited = { ...rule, namespaces: ['farm'] };
  const other = { ...rule, resources: ['pods/status'] };
  const added = { ...rule, verbs: ['patch', 'get'] } as const;

  const joined = { ...rule, verbs: ['get', 'patch'] };
  expect(joinedRules([rule, other], [added])).toEqual([joined, other]);
  expect(joinedRules([limited], [added])).toEqual([limited, added]);
});

const PODS = { group: '', plural: 'pods' };
const TARGET = { namespace: 'farm', name: 'a' };

test.each(
  PATCH_OPERATIONS,
)('a rule with exactly the verbs that %s needs is sufficient, and a rule without one of these verbs is not', (operation) => {
  const needed = requiredRights({ operation }, PODS, TARGET);
  const rule = {
    apiGroups: [''],
    resources: [...new Set(needed.map(({ resource }) => resource))],
    verbs: [...new Set(needed.map(({ verb }) => verb))],
    namespaces: ['farm'],
  };

  expect(missingRights(needed, [rule])).toEqual([]);
  for (const verb of rule.verbs) {
    const less = { ...rule, verbs: rule.verbs.filter((other) => other !== verb) };
    expect(missingRights(needed, [less])).toMatchObject([{ verb }]);
  }
});

test('a rule limited to names or namespaces allows no other requests, and a rule limited to names allows no creation by POST', () => {
  const rule = { apiGroups: [''], resources: ['pods'], verbs: ['create', 'patch'] } as const;
  const missing = (limits: object, operation: 'Create' | 'MergePatch' | 'Apply') =>
    missingRights(requiredRights({ operation }, PODS, TARGET), [{ ...rule, ...limits }]).length;

  expect(missing({ namespaces: ['farm'] }, 'Create')).toBe(0);
  expect(missing({ namespaces: ['barn'] }, 'Create')).toBe(1);
  expect(missing({ resourceNames: ['a'] }, 'MergePatch')).toBe(0);
  expect(missing({ resourceNames: ['b'] }, 'MergePatch')).toBe(1);
  expect(missing({ resourceNames: ['a'] }, 'Create')).toBe(1);
  expect(missing({ resourceNames: ['a'] }, 'Apply')).toBe(0);
});

test("the field manager of a hook is the hook's name, changed so that the API server accepts it", () => {
  expect(fieldManagerOf({ name: 'rows/copy.py' })).toBe('rows/copy.py');
  expect(fieldManagerOf({ name: 'Bäume zählen.sh' })).toBe('B_ume_z_hlen.sh');
  expect(fieldManagerOf({ name: `${'a'.repeat(200)}/b.sh` })).toHaveLength(128);
});
