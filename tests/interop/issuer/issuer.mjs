// An issuer of OpenID Connect for tests: oidc-provider, which is certified, behind one socket.
//
// Prints its URL, then serves until standard input ends. Each line on standard input is a command:
//   rotate    signs with a new key from now on, and publishes the old one beside it
//   withdraw  publishes the newest key alone
//   away      answers 503
//   back      answers again
// and is answered with a line `done`. Clients ask for tokens with client_credentials; what they are called in tokens, and their roles, are
// in CLIENTS.
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { createInterface } from 'node:readline'
import { exportJWK, generateKeyPair } from 'jose'
import { Provider } from 'oidc-provider'

const CLIENTS = {
  worker: { preferred_username: 'worker', realm_access: { roles: ['mq-users'] } },
  reader: { preferred_username: 'reader.of.issuer', realm_access: { roles: ['mq-readers'] } },
  stranger: { preferred_username: 'stranger' },
  mqm: { preferred_username: 'mqm', realm_access: { roles: ['mq-users', 'mqm'] } },
}
// Standard output has nothing but the URL and answers.
console.info = console.warn = console.error

const [algorithm = 'RS256'] = process.argv.slice(2)

const newKey = async () => {
  const { privateKey } = await generateKeyPair(algorithm, { extractable: true })
  return { ...(await exportJWK(privateKey)), kid: randomUUID(), use: 'sig', alg: algorithm }
}

let keys = [await newKey()]
let answer
let isAway = false
const server = createServer((request, response) => {
  if (isAway) {
    response.writeHead(503).end()
  } else {
    answer(request, response)
  }
})
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
const url = `http://127.0.0.1:${server.address().port}`

const publish = () => {
  const provider = new Provider(url, {
    clients: Object.keys(CLIENTS).map((id) => ({
      client_id: id,
      client_secret: `secret-of-${id}`,
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
      id_token_signed_response_alg: algorithm,
    })),
    // The first key that fits signs.
    jwks: { keys },
    ttl: { ClientCredentials: 600 },
    enabledJWA: { idTokenSigningAlgValues: [algorithm] },
    extraTokenClaims: (_, token) => CLIENTS[token.clientId],
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => 'urn:mq',
        getResourceServerInfo: (_, resource) => ({
          scope: '',
          audience: resource,
          accessTokenFormat: 'jwt',
          accessTokenTTL: 600,
          jwt: { sign: { alg: algorithm } },
        }),
      },
    },
  })
  answer = provider.callback()
}
publish()
console.log(url)

const commands = {
  rotate: async () => {
    keys = [await newKey(), ...keys]
    publish()
  },
  withdraw: () => {
    keys = keys.slice(0, 1)
    publish()
  },
  away: () => (isAway = true),
  back: () => (isAway = false),
}
for await (const line of createInterface({ input: process.stdin })) {
  await commands[line]()
  console.log('done')
}
process.exit(0)
