import { describe, expect, test } from 'vitest';
import type { StructuralSchema } from '../../../operator/model/structural-schema.ts';
import { applyDefaults, prune } from '../../../operator/schema/validation/stored-form.ts';

const text: StructuralSchema = { type: 'string', default: 'd' };

function object(properties: Readonly<Record<string, StructuralSchema>>): StructuralSchema {
  return { type: 'object', properties };
}

describe('[F-11] defaults', () => {
  test('defaults fill missing fields in existing objects', () => {
    const schema = object({
      a: text,
      inner: object({ b: text }),
      list: { type: 'array', items: object({ c: text }) },
    });

    expect(applyDefaults({ list: [{}, { c: 'x' }] }, schema)).toEqual({
      a: 'd',
      list: [{ c: 'd' }, { c: 'x' }],
    });
    expect(applyDefaults({ inner: {} }, schema)).toEqual({ a: 'd', inner: { b: 'd' } });
  });

  test('the default of an object includes the defaults inside it', () => {
    const schema = object({ inner: { ...object({ b: text }), default: {} } });

    expect(applyDefaults({}, schema)).toEqual({ inner: { b: 'd' } });
  });

  test('a null that is not allowed is replaced by the default, or removed if there is no default', () => {
    const plain: StructuralSchema = { type: 'string' };
    const schema = object({
      a: text,
      b: { ...text, nullable: true },
      c: plain,
      d: { ...plain, nullable: true },
    });

    const filled = applyDefaults({ a: null, b: null, c: null, d: null }, schema);

    expect(filled).toEqual({ a: 'd', b: null, d: null });
  });

  test('defaults share no values with the schema or with each other', () => {
    const schema = object({ list: { type: 'array', items: text, default: ['x'] } });

    const [one, two] = [applyDefaults({}, schema), applyDefaults({}, schema)] as {
      list: string[];
    }[];
    one?.list.push('y');

    expect([two, schema.properties?.list?.default]).toEqual([{ list: ['x'] }, ['x']]);
  });
});

describe('[F-11] pruning', () => {
  const report = (value: unknown, schema: StructuralSchema): [unknown, string[]] => {
    const paths: string[] = [];
    return [prune(value, schema, { report: (path) => paths.push(path) }), paths];
  };

  test('pruning drops unknown fields, and reports their paths', () => {
    const schema = object({
      spec: object({ list: { type: 'array', items: object({ a: text }) } }),
    });

    expect(report({ spec: { list: [{ a: 'x', b: 1 }], c: 1 }, d: 1 }, schema)).toEqual([
      { spec: { list: [{ a: 'x' }] } },
      ['spec.list[0].b', 'spec.c', 'd'],
    ]);
  });

  test('pruning keeps apiVersion, kind and metadata, at the root and in embedded objects', () => {
    const inner: StructuralSchema = { ...object({}), 'x-kubernetes-embedded-resource': true };
    const meta = { apiVersion: 'v1', kind: 'K', metadata: { name: 'n' } };

    expect(report({ ...meta, inner: { ...meta, x: 1 } }, object({ inner }))).toEqual([
      { ...meta, inner: meta },
      ['inner.x'],
    ]);
  });

  test('pruning keeps unknown fields where the schema preserves them, and prunes below known fields', () => {
    const free: StructuralSchema = {
      ...object({ known: object({}) }),
      'x-kubernetes-preserve-unknown-fields': true,
    };

    expect(report({ free: { any: { x: [1] }, known: { x: 1 } } }, object({ free }))).toEqual([
      { free: { any: { x: [1] }, known: {} } },
      ['free.known.x'],
    ]);
  });
});
