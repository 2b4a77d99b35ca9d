// Reads the SDL of both subgraphs and composes supergraph.graphql: by Apollo's composition, or with `hive` by Hive's.
import { writeFileSync } from 'node:fs';
import { parse } from 'graphql';

const { SWITCHBOARD = 'http://127.0.0.1:4000/graphql', NOTES = 'http://127.0.0.1:4001/graphql' } = process.env;
const { composeServices } = await import(
  process.argv[2] === 'hive' ? '@theguild/federation-composition' : '@apollo/composition'
);

/** A subgraph as composition takes it. Its SDL needs no key; wgc reads it from the file. */
async function subgraphOf(name, url) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: '{ service: _service { sdl } }' }),
  });
  const { data } = await response.json();
  writeFileSync(`${name}.graphql`, data.service.sdl);
  return { name, url, typeDefs: parse(data.service.sdl) };
}

const subgraphs = [await subgraphOf('switchboard', SWITCHBOARD), await subgraphOf('notes', NOTES)];
const { supergraphSdl, errors } = composeServices(subgraphs);
if (supergraphSdl === undefined) throw new Error(errors.map(({ message }) => message).join('\n'));
writeFileSync('supergraph.graphql', supergraphSdl);
console.log('Composed supergraph.graphql.');
