import { expect, test } from 'vitest';
import { ProtocolError } from '../../operator/core/errors.ts';
import { Unreadable } from '../../operator/watch/unserved.ts';

const noJson = (key: string): ProtocolError =>
  new ProtocolError('an object is no JSON', { code: 'DECODE', context: { key } });

test('an entry that cannot be parsed ends the open watch', () => {
  const unreadable = new Unreadable();
  const ended: ProtocolError[] = [];
  unreadable.watching((error) => ended.push(error));
  const error = noJson('a/one');

  unreadable.found(error);

  expect(ended).toEqual([error]);
});

test('an unreadable entry that is found while no watch is open ends the next watch when it starts, and no later watch', () => {
  const unreadable = new Unreadable();
  const first: ProtocolError[] = [];
  const second: ProtocolError[] = [];
  unreadable.watching(() => {});
  unreadable.notWatching();
  const error = noJson('a/two');

  unreadable.found(error);
  unreadable.watching((reason) => first.push(reason));
  unreadable.notWatching();
  unreadable.watching((reason) => second.push(reason));

  expect(first).toEqual([error]);
  expect(second).toEqual([]);
});

test('an unreadable entry found before a list ends no watch, because the list contains the object again', () => {
  const unreadable = new Unreadable();
  const ended: ProtocolError[] = [];
  unreadable.found(noJson('a/three'));

  unreadable.listing();
  unreadable.watching((error) => ended.push(error));

  expect(ended).toEqual([]);
});

test('an unreadable entry found during a list ends the following watch', () => {
  const unreadable = new Unreadable();
  const ended: ProtocolError[] = [];
  unreadable.listing();
  const error = noJson('a/four');

  unreadable.found(error);
  unreadable.watching((reason) => ended.push(reason));

  expect(ended).toEqual([error]);
});
