import { describe, expect, test } from 'vitest';
import {
  builtInKind,
  builtInKindName,
  builtInKinds,
  builtInType,
  elementType,
} from '../../../src/apiserver/built-in-types/built-in-types.ts';

describe('the table of built-in types', () => {
  test('every type that a field refers to exists', () => {
    const seen = new Set<string>();
    const missing: string[] = [];
    const visit = (name: string): void => {
      if (seen.has(name)) return;
      seen.add(name);
      const type = builtInType(name);
      if (type === undefined) missing.push(name);
      for (const field of Object.values(type?.fields ?? {})) visitValue(field.type);
    };
    const visitValue = (type: string): void => {
      const element = elementType(type);
      if (element !== undefined) visitValue(element);
      else if (type.startsWith('#')) visit(type);
    };

    for (const kind of builtInKinds()) {
      const slash = kind.lastIndexOf('/');
      visit(builtInKindName(kind.slice(0, slash), kind.slice(slash + 1)) ?? kind);
    }

    expect(missing).toEqual([]);
    expect(seen.size).toBeGreaterThan(500);
  });

  test('a field of the table has its properties for Go and protobuf', () => {
    const service = builtInType('io.k8s.api.core.v1.ServiceSpec');

    expect(service?.fields.ports).toEqual({
      type: '[]#io.k8s.api.core.v1.ServicePort',
      number: 1,
      omitempty: true,
      listType: 'map',
      listMapKeys: ['port', 'protocol'],
      patchStrategy: 'merge',
      patchMergeKey: 'port',
    });
    expect(service?.fields.selector?.atomic).toBe(true);
  });

  test('if JSON inlines a protobuf message, its fields keep the field number of that message', () => {
    const probe = builtInType('#io.k8s.api.core.v1.Probe');

    expect(probe?.fields.httpGet).toMatchObject({ number: 2, within: [1] });
    expect(probe?.fields.initialDelaySeconds?.within).toBeUndefined();
  });

  test('the fields of a kind are in the order in which Go writes them', () => {
    const fields = Object.keys(builtInKind('v1', 'ConfigMap')?.fields ?? {});

    expect(fields).toEqual(['kind', 'apiVersion', 'metadata', 'immutable', 'data', 'binaryData']);
  });

  test('a lookup of an unknown version or kind finds no type', () => {
    expect(builtInKind('apps/v1beta1', 'Deployment')).toBeUndefined();
    expect(builtInKind('constructor', 'prototype')).toBeUndefined();
  });
});
