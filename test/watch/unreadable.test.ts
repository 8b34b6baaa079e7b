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

test('what was found while no watch was open ends the next one as it begins, and no other', () => {
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

test('what was found before a list began ends no watch: the list shows the object anew', () => {
  const unreadable = new Unreadable();
  const ended: ProtocolError[] = [];
  unreadable.found(noJson('a/three'));

  unreadable.listing();
  unreadable.watching((error) => ended.push(error));

  expect(ended).toEqual([]);
});

test('what is found while a list is under way ends the watch that follows', () => {
  const unreadable = new Unreadable();
  const ended: ProtocolError[] = [];
  unreadable.listing();
  const error = noJson('a/four');

  unreadable.found(error);
  unreadable.watching((reason) => ended.push(reason));

  expect(ended).toEqual([error]);
});
