/**
 * The held path: what a collection of the tests would hand on as objects is sent as bytes, and so held
 * until somebody reads it. Whatever else is tested must not depend on which path it is.
 */
import { FakeCollection } from '../support/fake-collection.ts';
import { listedAsText, watchedAsText } from '../support/text-collection.ts';

const { listPage, watch } = FakeCollection.prototype;

FakeCollection.prototype.listPage = async function (request) {
  return listedAsText(await listPage.call(this, request), request);
};

FakeCollection.prototype.watch = async function (request) {
  return watchedAsText(await watch.call(this, request), request);
};
