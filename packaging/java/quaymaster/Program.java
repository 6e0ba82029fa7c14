package quaymaster;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;

/** Where the program is: {@code QUAYMASTER_BIN}, else that of this archive, unpacked once for each user. */
final class Program {
    private static Path found;

    private Program() {}

    static synchronized Path path() {
        if (found == null) {
            String named = System.getenv("QUAYMASTER_BIN");
            try {
                found = named == null || named.isEmpty() ? unpacked() : Paths.get(named);
            } catch (IOException error) {
                throw new UncheckedIOException("cannot unpack the program of Quaymaster", error);
            }
        }
        return found;
    }

    private static Path unpacked() throws IOException {
        String machine = System.getProperty("os.arch").equals("amd64") ? "x86_64" : System.getProperty("os.arch");
        String resource = "/quaymaster/linux-" + machine + "/quaymaster";
        try (InputStream digest = Program.class.getResourceAsStream(resource + ".sha256")) {
            if (digest == null) {
                throw new IOException("the archive has no program for " + machine);
            }
            String name = new BufferedReader(new InputStreamReader(digest, StandardCharsets.US_ASCII)).readLine();
            Path program = cache().resolve(name).resolve("quaymaster");
            if (!Files.isExecutable(program)) {
                unpack(resource, program);
            }
            return program;
        }
    }

    /** Several processes may come at once: each writes a file of its own, and one of them gets the name last. */
    private static void unpack(String resource, Path program) throws IOException {
        Files.createDirectories(program.getParent());
        Path part = Files.createTempFile(program.getParent(), "quaymaster", ".part");
        try (InputStream bytes = Program.class.getResourceAsStream(resource)) {
            Files.copy(bytes, part, StandardCopyOption.REPLACE_EXISTING);
            Files.setPosixFilePermissions(part, PosixFilePermissions.fromString("rwxr-xr-x"));
            Files.move(part, program, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(part);
        }
    }

    private static Path cache() {
        String named = System.getenv("XDG_CACHE_HOME");
        Path folder = named == null || named.isEmpty() ? Paths.get(System.getProperty("user.home"), ".cache") : Paths.get(named);
        return folder.resolve("quaymaster");
    }
}
