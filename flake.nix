{
  description = "Compile one HCL file into what a machine's coding agents are, and switch to it";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs = { self, nixpkgs }:
    let
      inherit (nixpkgs) lib;
      description = "Compiles one HCL file into what a machine's coding agents are";
      version = self.shortRev or "dev";

      systems = [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ];
      forAllSystems = f: lib.genAttrs systems (system: f system nixpkgs.legacyPackages.${system});

      # The digest of the folder that `go mod vendor` makes. internal/flaketest checks it, and with -update writes it.
      vendorHash = "sha256-MKoW5UZEPMCuqmmD8C+4GaoRoAOp2/0RKLpdO6bdd44=";

      # go.mod asks for Go 1.26, which may be newer than the default of the nixpkgs that is given.
      build = pkgs: args: (pkgs.buildGo126Module or pkgs.buildGoModule) ({
        pname = "agentihooks";
        inherit version;
        src = self;
        inherit vendorHash;
        env.CGO_ENABLED = "0";
        ldflags = [ "-s" "-w" "-X main.version=${version}" ];
        subPackages = [ "cmd/agentihooks" ];
        tags = [ "hooks" ];

        # The tag embeds the hook for every system that we run on: `go generate ./hookbin`, with the Go that is here, since
        # no other can be fetched. buildGoModule runs preBuild also where it vendors the modules; nothing is to be
        # built there.
        preBuild = "(cd hookbin && go run ../internal/hookbuild/generate -toolchain local)";
        overrideModAttrs = _: { preBuild = ""; };

        # checks.tests runs the tests, of every package.
        doCheck = false;

        meta = {
          inherit description;
          homepage = "https://github.com/agentihooks/agentihooks";
          license = lib.licenses.asl20;
          mainProgram = "agentihooks";
          platforms = systems;
        };
      } // args);
    in
    {
      packages = forAllSystems (_: pkgs: { default = build pkgs { }; });

      apps = forAllSystems (system: pkgs: {
        default = {
          type = "app";
          program = "${self.packages.${system}.default}/bin/agentihooks";
          meta = { inherit description; };
        };
      });

      devShells = forAllSystems (_: pkgs: {
        default = pkgs.mkShell {
          packages = [
            (pkgs.go_1_26 or pkgs.go)
            pkgs.dash
            pkgs.file
            pkgs.fish
            pkgs.git
            pkgs.gnumake
            pkgs.gnupatch
            pkgs.nodejs
            pkgs.zsh
          ];
        };
      });

      checks = forAllSystems (system: pkgs: {
        package = self.packages.${system}.default;
        tests = build pkgs {
          pname = "agentihooks-tests";
          doCheck = true;
          nativeCheckInputs = [ pkgs.dash pkgs.file pkgs.fish pkgs.git pkgs.gnupatch pkgs.zsh ];
          # Not the default check phase: it tests subPackages alone.
          checkPhase = ''
            runHook preCheck
            export HOME=$TMPDIR
            GOFLAGS=''${GOFLAGS//-trimpath/} go test -tags=hooks ./...
            runHook postCheck
          '';
        };
      });

      homeManagerModules.default = { config, lib, pkgs, ... }:
        let
          cfg = config.programs.agentihooks;
          escape = lib.escapeShellArg;
        in
        {
          options.programs.agentihooks = {
            enable = lib.mkEnableOption "agentihooks, which makes the files of the machine's coding agents from a manifest";

            package = lib.mkOption {
              type = lib.types.package;
              default = self.packages.${pkgs.stdenv.hostPlatform.system}.default;
              defaultText = lib.literalExpression "agentihooks.packages.\${pkgs.stdenv.hostPlatform.system}.default";
              description = "The agentihooks to install and to switch with.";
            };

            manifest = lib.mkOption {
              type = lib.types.path;
              example = lib.literalExpression "./agents";
              description = ''
                The folder of the machine manifest and the files that it names. A Nix path is copied into the store;
                a string such as "/home/me/agents" is used where it is.
              '';
            };

            file = lib.mkOption {
              type = lib.types.str;
              default = "machine.hcl";
              description = "The manifest's file name in that folder.";
            };

            extraArgs = lib.mkOption {
              type = lib.types.listOf lib.types.str;
              default = [ ];
              example = [ "--host" "studio" ];
              description = "More arguments of `agentihooks switch`.";
            };

            searchPath = lib.mkOption {
              type = lib.types.listOf lib.types.str;
              default = [ "/run/current-system/sw/bin" "/opt/homebrew/bin" "/usr/local/bin" "/usr/bin" "/bin" ];
              description = ''
                Where the manifest's facts look for programs, after the packages of this home. Home Manager empties
                PATH while it activates, so that without these folders a program that the system has would count as missing.
              '';
            };
          };

          config = lib.mkIf cfg.enable {
            home.packages = [ cfg.package ];

            # Home Manager sets DRY_RUN, possibly to nothing, in a dry run, and still runs the scripts.
            home.activation.agentihooks = lib.hm.dag.entryAfter [ "writeBoundary" ] ''
              PATH=${escape "${config.home.path}/bin"}:"$PATH":${escape (lib.concatStringsSep ":" cfg.searchPath)} \
                ${cfg.package}/bin/agentihooks switch --file ${escape "${cfg.manifest}/${cfg.file}"} \
                ''${DRY_RUN+--dry-run} ${lib.escapeShellArgs cfg.extraArgs}
            '';
          };
        };
    };
}
