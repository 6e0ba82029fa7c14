// An issuer of OpenID Connect for tests: oidc-provider, which is certified, behind one socket.
//
// Prints its URL, then serves until standard input ends. Each line on standard input is a command:
//   rotate    signs with a new key from now on, and publishes the old one beside it
//   withdraw  publishes the newest key alone
//   away      answers 503
//   back      answers again
//   console URI SECRET METHOD   knows the console, a client for people, by this redirect URI; `none` for a public client
// and is answered with a line `done`. Programs ask for tokens with client_credentials; what programs and people are called in tokens, and their
// roles, are in CLIENTS. A person types such a name and no password. The roles of people are in access tokens alone, as those of Keycloak.
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

const ofProgram = (id) => ({
  client_id: id,
  client_secret: `secret-of-${id}`,
  grant_types: ['client_credentials'],
  redirect_uris: [],
  response_types: [],
  id_token_signed_response_alg: algorithm,
})

let people = []
const ofPeople = (uri, secret, method) => ({
  client_id: 'console of tests',
  ...(method === 'none' ? {} : { client_secret: secret }),
  token_endpoint_auth_method: method,
  grant_types: ['authorization_code'],
  redirect_uris: [uri],
  id_token_signed_response_alg: algorithm,
})

const publish = () => {
  const provider = new Provider(url, {
    clients: [...Object.keys(CLIENTS).map(ofProgram), ...people],
    pkce: { required: () => true, methods: ['S256'] },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    cookies: { keys: ['a key of tests'] },
    // The first key that fits signs.
    jwks: { keys },
    ttl: { ClientCredentials: 600 },
    enabledJWA: { idTokenSigningAlgValues: [algorithm] },
    extraTokenClaims: (_, token) => CLIENTS[token.accountId ?? token.clientId],
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      // Pages that load nothing from elsewhere.
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: (context, form) => (context.body = `${form}<button form="op.logoutForm" name="logout" value="yes">Yes</button>`),
        postLogoutSuccessSource: (context) => (context.body = 'You have signed out.'),
      },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => 'urn:mq',
        useGrantedResource: () => true,
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
  const callback = provider.callback()
  answer = (request, response) => {
    if (request.url.startsWith('/interaction/')) {
      signIn(provider, request, response).catch((error) => response.writeHead(500).end(String(error)))
    } else {
      callback(request, response)
    }
  }
}

// The page where a person says who that is, and what it leads to.
const signIn = async (provider, request, response) => {
  const { params } = await provider.interactionDetails(request, response)
  if (request.method === 'GET') {
    response.writeHead(200, { 'content-type': 'text/html' })
    return response.end('<form method="post"><label>Name <input name="name"></label><button>Go on</button><button name="no" value="1">Cancel</button></form>')
  }
  let body = ''
  for await (const part of request) body += part
  const typed = new URLSearchParams(body)
  if (typed.has('no')) return provider.interactionFinished(request, response, { error: 'access_denied' })
  const accountId = typed.get('name')
  const grant = new provider.Grant({ accountId, clientId: params.client_id })
  grant.addOIDCScope(params.scope)
  await provider.interactionFinished(request, response, { login: { accountId }, consent: { grantId: await grant.save() } })
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
  console: (...client) => {
    people = [ofPeople(...client)]
    publish()
  },
}
for await (const line of createInterface({ input: process.stdin })) {
  const [command, ...words] = line.split(' ')
  await commands[command](...words)
  console.log('done')
}
process.exit(0)
