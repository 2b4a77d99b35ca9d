import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { getComposedSchemaFromConfig } from '@graphql-mesh/compose-cli';
import { DefaultLogger } from '@graphql-mesh/utils';

import { loadOpenAPISubgraph } from '@omnigraph/openapi';
import { openapi } from './openapi.ts';

// Composes the supergraph in a folder that is given: what the compose command does, in a process of its own as there.
const folder = process.argv[2] ?? '.';
const source = join(folder, 'openapi.json');
writeFileSync(source, JSON.stringify(openapi));
const supergraph = await getComposedSchemaFromConfig(
  {
    subgraphs: [
      {
        sourceHandler: loadOpenAPISubgraph('API', {
          source,
          endpoint: process.env['UPSTREAM_BASE_URL'] ?? '',
          operationHeaders: { authorization: '{context.headers.authorization}' },
        }),
      },
    ],
    cwd: folder,
  },
  new DefaultLogger(),
);
writeFileSync(join(folder, 'supergraph.graphql'), supergraph);
process.exit(0);
