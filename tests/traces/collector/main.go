// A collector of OpenTelemetry's own parts, which receives OTLP over HTTP and passes it on as JSON. Arguments: the ports of both.
package main

import (
	"fmt"
	"log"
	"os"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/provider/yamlprovider"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/exporter/otlphttpexporter"
	"go.opentelemetry.io/collector/otelcol"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
	"go.opentelemetry.io/collector/service/telemetry/otelconftelemetry"
)

const configuration = `yaml:
receivers:
  otlp:
    protocols:
      http:
        endpoint: 127.0.0.1:%s
exporters:
  otlphttp:
    endpoint: http://127.0.0.1:%s
    encoding: json
    compression: none
    tls:
      insecure: true
service:
  telemetry:
    metrics:
      level: none
  pipelines:
    traces:
      receivers: [otlp]
      exporters: [otlphttp]
`

func factories() (otelcol.Factories, error) {
	receivers, err := otelcol.MakeFactoryMap[receiver.Factory](otlpreceiver.NewFactory())
	if err != nil {
		return otelcol.Factories{}, err
	}
	exporters, err := otelcol.MakeFactoryMap[exporter.Factory](otlphttpexporter.NewFactory())
	return otelcol.Factories{Receivers: receivers, Exporters: exporters, Telemetry: otelconftelemetry.NewFactory()}, err
}

func main() {
	resolver := confmap.ResolverSettings{
		URIs:              []string{fmt.Sprintf(configuration, os.Args[1], os.Args[2])},
		DefaultScheme:     "yaml",
		ProviderFactories: []confmap.ProviderFactory{yamlprovider.NewFactory()},
	}
	command := otelcol.NewCommand(otelcol.CollectorSettings{
		BuildInfo:              component.BuildInfo{Command: "collector", Version: "1"},
		Factories:              factories,
		ConfigProviderSettings: otelcol.ConfigProviderSettings{ResolverSettings: resolver},
	})
	command.SetArgs([]string{})
	if err := command.Execute(); err != nil {
		log.Fatal(err)
	}
}
